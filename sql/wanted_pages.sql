-- The page ids of some titles.
--
-- reads:   wanted_titles (title), wikipedia_pages (title, page_id)
-- writes:  wanted_pages, one row per title that is known
-- params:  none

create or replace table wanted_pages as

select title, wikipedia_pages.page_id
from wanted_titles
join wikipedia_pages using (title);
