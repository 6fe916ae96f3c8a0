-- The facts of the asked predicate with their question keys and answers, and the reason if one cannot be asked.
--
-- reads:   asked (qualifiers, answer, answer_kinds, wants_description, wants_aliases, alias_min_popularity,
--          end_qualifier, lang), asked_facts, named_qualifiers, bucket_entities, entities (id, types),
--          subject_descriptions, allowed_types (type), answer_forms (kind, value, forms)
-- writes:  keyed_facts, one row per fact; `refusal` is null where the fact can be asked
-- params:  none
--
-- A question key is the subject and the qualifiers that the template names, whose number is 0 if it names none. A fact
-- holds at most one qualifier of a name: a source states the fact once for each value.
--
-- DBpedia's infoboxes give a year as a plain number, so a number from 1000 to 2999 passes for a date.

create or replace table keyed_facts as

with typed as (
    select id, unnest(types) as type
    from entities
    semi join asked_facts on asked_facts.subject = entities.id
    where exists (from allowed_types)
),

of_allowed_type as (
    select distinct typed.id
    from typed
    semi join allowed_types on allowed_types.type = typed.type
),

labelled as (
    select
        asked_facts.subject as subject_id,
        subjects.label as subject_label,
        subjects.popularity,
        subjects.wikipedia_title,
        case
            when asked.wants_aliases and subjects.popularity >= asked.alias_min_popularity then subjects.aliases
            else []
        end as subject_aliases,
        exists (from allowed_types) and of_allowed_type.id is null as is_of_other_type,
        subject_descriptions.description,
        coalesce(named_qualifiers.qualifier_number, 0) as qualifier_number,
        coalesce(named_qualifiers.is_incomplete, true) as has_incomplete_qualifiers,
        named_qualifiers.is_unnamed as has_unnamed_qualifiers,
        named_qualifiers.is_odd as has_odd_qualifiers,
        asked_facts.kind,
        asked_facts.kind = 'quantity' and regexp_full_match(asked_facts.value, '[12][0-9]{3}') as is_year,
        asked_facts.lang,
        asked_facts.has_ended,
        coalesce(entity_text(asked_facts.object), asked_facts.value) as object,
        case when asked_facts.kind = 'entity' then [objects.label] || objects.aliases else answer_forms.forms end
            as forms,
        coalesce(objects.popularity, 0) as object_popularity,
        place_text(asked_facts.place) as place
    from asked_facts
    cross join asked
    left join bucket_entities as subjects on subjects.id = asked_facts.subject
    left join of_allowed_type on of_allowed_type.id = asked_facts.subject
    left join subject_descriptions on subject_descriptions.id = asked_facts.subject
    left join bucket_entities as objects on objects.id = asked_facts.object
    left join answer_forms on answer_forms.kind = asked_facts.kind and answer_forms.value = asked_facts.value
    left join named_qualifiers on named_qualifiers.qualifiers = asked_facts.qualifiers
),

words as (
    select
        if(answer is null, 'the object', 'the answer') as of_answer,
        if(answer is null, 'a qualifier', 'the object or a qualifier') as of_key
    from asked
)

select
    subject_id,
    subject_label,
    popularity,
    wikipedia_title,
    subject_aliases,
    description,
    qualifier_number,
    object,
    forms,
    object_popularity,
    place,
    case
        when subject_label is null then 'the subject has no label'
        when regexp_matches(subject_label, '\p{Cc}') then 'the subject''s label has control characters'
        when not regexp_matches(subject_label, '[\p{L}\p{N}\p{S}\p{P}]') then 'the subject''s label is no name'
        when length(subject_label) > 300 then 'the subject''s label is too long'
        when is_of_other_type then 'the subject is of another type'
        when asked.wants_description and coalesce(trim(description), '') = '' then 'the subject has no description'
        when regexp_matches(description, '\p{Cc}') then 'the subject''s description has control characters'
        when length(description) > 300 then 'the subject''s description is too long'
        when has_incomplete_qualifiers and len(asked.qualifiers) > 0 then 'a qualifier is missing or stands twice'
        when has_unnamed_qualifiers then words.of_key || ' has no label'
        when has_odd_qualifiers then words.of_key || ' is no plain text'
        when len(asked.answer_kinds) > 0 and not list_has_any(asked.answer_kinds, if(is_year, [kind, 'date'], [kind]))
            then 'the value is of another kind'
        when has_ended and asked.end_qualifier is not null then 'the statement has ended'
        when kind = 'entity' and forms[1] is null then words.of_answer || ' has no label'
        when kind = 'entity' and (forms[1] = object or not is_answer_form(forms[1]))
            then words.of_answer || '''s label is no name'
        when labelled.lang <> asked.lang then 'the value is in another language'
        when coalesce(len(forms), 0) = 0 or not is_answer_form(forms[1]) then 'the value cannot be an answer'
    end as refusal
from labelled
cross join asked
cross join words;
