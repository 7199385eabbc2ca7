-- Letters that differ in case or width alone are one name to a reader.
create function name_key(name text) returns text language sql immutable as $$ select lower(normalize(name, NFKC)) $$;
