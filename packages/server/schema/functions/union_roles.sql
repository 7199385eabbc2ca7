-- Returns the roles of two lists, each once, sorted. Called by the column account.roles, which is generated.
create function union_roles(a text[], b text[]) returns text[] language sql immutable parallel safe
return array(select distinct role from unnest(a || b) role order by role);
