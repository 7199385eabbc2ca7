create view problem_window as
select p.name as problem, c.starts_at as opens_at, ends.at as closes_at, coalesce(p.targets, c.targets) as targets,
  freeze_time.at as freezes_at, case when freeze_time.at is not null then coalesce(c.reveal_at, c.ends_at) end as reveals_at,
  coalesce(freeze_time.at <= now() and now() < coalesce(c.reveal_at, c.ends_at), false) as frozen
from problem p
left join competition c on c.name = p.competition
cross join lateral (select least(p.closed_at, p.ends_at, c.ends_at) as at) ends
cross join lateral (select case when c.freeze_at < ends.at then c.freeze_at end as at) freeze_time;
comment on view problem_window is 'When a problem accepts ranked submissions: from opens_at to before closes_at, null for no bound; on which targets, null for all; and when its boards freeze. A freeze after the end has no effect. The dates of the competition are stored only with the competition, so a changed date applies here at once.';
