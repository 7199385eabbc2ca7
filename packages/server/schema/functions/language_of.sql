-- Returns the language of a submission by its file name, as languageOf of packages/core. Called by what reads and stores
-- application_result: a text can be both valid Python and valid C++, and is another kernel in each.
create function language_of(file_name text) returns text language sql immutable parallel safe
return case when file_name ~* '\.(cpp|cc|cxx)$' then 'cpp' when file_name ~* '\.cu$' then 'cu' else 'py' end;
