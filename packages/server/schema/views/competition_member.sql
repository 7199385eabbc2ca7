create view competition_member as
  select o.competition, o.account_id from competition_organiser o
  union
  select ic.competition, i.claimed_by from invite i join invite_competition ic on ic.code = i.code
  where i.claimed_by is not null and i.revoked_at is null
  union
  select l.competition, u.account_id from invite_link_use u join invite_link l on l.id = u.link_id
  union
  select competition, account_id from lti_member
  union
  select c.name, i.account_id from competition c join linked_identity i on i.groups && c.groups
  where c.groups <> '{}';
comment on view competition_member is 'Accounts that may see a closed competition: its organisers, those that claimed one of its codes, those that joined by one of its links or from a learning platform, and those that have one of its groups.';
