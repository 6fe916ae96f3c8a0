-- A question as it is compared with those of other shards: an imported base may have capitals and question marks.
--
-- reads:   nothing
-- writes:  asked_form(question), a macro
-- params:  none

create or replace macro asked_form(question) as trim(rtrim(lower(question), '? '));
