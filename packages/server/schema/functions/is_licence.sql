-- Competitions, the invites that open closed ones, who may see what, and what submissions declare of themselves.
create function is_licence(name text) returns boolean language sql immutable parallel safe
return name is null or name in ('MIT', 'Apache-2.0', 'BSD-3-Clause', 'CC-BY-4.0', 'CC0-1.0');
comment on function is_licence is 'The SPDX identifiers of LICENCES in core''s declaration.ts.';
