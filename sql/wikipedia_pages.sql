-- Wikipedia's pages by title, as a file of the user names them.
--
-- reads:   titled_pages (title, page_id), one row per line of the file
-- writes:  wikipedia_pages, one row per title; `n_ids` is 1 unless the file contradicts itself
-- params:  none

create or replace table wikipedia_pages as

select title, min(page_id) as page_id, count(distinct page_id) as n_ids
from titled_pages
group by title;
