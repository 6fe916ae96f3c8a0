-- The facts of the asked predicate with everything a question needs, and the reason if one cannot be asked.
--
-- reads:   asked (qualifiers, answer, answer_kinds, wants_description, lang), asked_facts,
--          entities (id, label, types, popularity), subject_descriptions, allowed_types (type),
--          answer_forms (kind, value, forms)
-- writes:  keyed_facts, one row per fact; `refusal` is null where the fact can be asked
-- params:  none
--
-- A question key is the subject and the qualifiers that the template names, in alphabetical order of their names. A
-- fact holds at most one qualifier of a name: a source states the fact once for each value.
--
-- DBpedia's infoboxes give a year as a plain number, so a number from 1000 to 2999 passes for a date.

create or replace table keyed_facts as

with numbered as (
    select row_number() over (order by subject, object, value, place, qualifiers) as fact, *
    from asked_facts
),

named_qualifiers as (
    select fact, unnest(qualifiers, recursive := true)
    from numbered
),

key_qualifiers as (
    select
        named.fact,
        list(coalesce(entity_text(named.object), named.value) order by named.name) as key,
        list(coalesce(entities.label, named.value) order by named.name) as texts,
        list(named.name order by named.name) as names,
        coalesce(max(entities.popularity), 0) as popularity
    from named_qualifiers as named
    left join entities on entities.id = named.object
    where list_contains((select qualifiers from asked), named.name)
    group by named.fact
),

labelled as (
    select
        numbered.fact,
        entity_text(numbered.subject) as subject,
        subjects.label as subject_label,
        subjects.popularity,
        subjects.wikipedia_title,
        subjects.types,
        subject_descriptions.description,
        coalesce(key_qualifiers.key, []) as qualifier_key,
        coalesce(key_qualifiers.texts, []) as qualifier_texts,
        coalesce(key_qualifiers.names, []) as qualifier_names,
        coalesce(key_qualifiers.popularity, 0) as qualifier_popularity,
        numbered.kind,
        numbered.kind = 'quantity' and regexp_full_match(numbered.value, '[12][0-9]{3}') as is_year,
        numbered.lang,
        coalesce(entity_text(numbered.object), numbered.value) as object,
        case when numbered.kind = 'entity' then [objects.label] else answer_forms.forms end as forms,
        coalesce(objects.popularity, 0) as object_popularity,
        place_text(numbered.place) as place
    from numbered
    left join entities as subjects on subjects.id = numbered.subject
    left join subject_descriptions on subject_descriptions.id = numbered.subject
    left join entities as objects on objects.id = numbered.object
    left join answer_forms on answer_forms.kind = numbered.kind and answer_forms.value = numbered.value
    left join key_qualifiers on key_qualifiers.fact = numbered.fact
),

words as (
    select
        if(answer is null, 'the object', 'the answer') as of_answer,
        if(answer is null, 'a qualifier', 'the object or a qualifier') as of_key
    from asked
)

select
    labelled.*,
    case
        when subject_label is null then 'the subject has no label'
        when regexp_matches(subject_label, '[\x00-\x1f\x7f]') then 'the subject''s label has control characters'
        when length(subject_label) > 300 then 'the subject''s label is too long'
        when exists (from allowed_types) and not list_has_any(types, (select list(type) from allowed_types))
            then 'the subject is of another type'
        when asked.wants_description and coalesce(trim(description), '') = '' then 'the subject has no description'
        when regexp_matches(description, '[\x00-\x1f\x7f]') then 'the subject''s description has control characters'
        when length(description) > 300 then 'the subject''s description is too long'
        when qualifier_names <> asked.qualifiers then 'a qualifier is missing or stands twice'
        when list_bool_or([text is null for text in qualifier_texts]) then words.of_key || ' has no label'
        when list_bool_or([regexp_matches(text, '[\x00-\x1f\x7f]') or length(text) > 300 for text in qualifier_texts])
            then words.of_key || ' is no plain text'
        when len(asked.answer_kinds) > 0 and not list_has_any(asked.answer_kinds, if(is_year, [kind, 'date'], [kind]))
            then 'the value is of another kind'
        when kind = 'entity' and forms[1] is null then words.of_answer || ' has no label'
        when kind = 'entity' and (forms[1] = object or not regexp_matches(forms[1], '[\p{L}\p{N}\p{S}]'))
            then words.of_answer || '''s label is no name'
        when labelled.lang <> asked.lang then 'the value is in another language'
        when coalesce(len(forms), 0) = 0 then 'the value cannot be an answer'
    end as refusal
from labelled
cross join asked
cross join words
order by fact;
