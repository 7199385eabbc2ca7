-- Trigger function of board: stores the revision of the board to which its problem version belongs.
create function store_board_revision() returns trigger language plpgsql as $$
begin
  insert into board_revision (problem_version, target, problem, revision)
    values (new.version, new.target, new.problem, new.revision) on conflict do nothing;
  return null;
end $$;
