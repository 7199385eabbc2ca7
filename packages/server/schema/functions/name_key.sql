-- Returns the form of a name by which names are compared: readers take letters that differ only in case or width for
-- the same name. Called by the unique indexes of account and team and by look-ups by name.
create function name_key(name text) returns text language sql immutable as $$ select lower(normalize(name, NFKC)) $$;
