import type postgres from "postgres";

/** Returns a description of a schema, including comments, and the number of rows of each table, as sorted lines. */
export async function describeSchema(sql: postgres.Sql): Promise<string[]> {
  const objects = await sql<{ line: string }[]>`
    with relation as (
      select * from pg_class where relnamespace in ('public'::regnamespace, 'leaderboard'::regnamespace)
        and relkind in ('r', 'v') and relname <> 'schema_migration'
    )
    select format('column %s.%s #%s %s%s default %s identity %s generated %s', c.relname, a.attname,
        row_number() over (partition by c.oid order by a.attnum), format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' end, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated) as line
      from relation c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped
    union all select format('table %s %s', relname, reloptions) from relation where relkind = 'r'
    union all select format('view %s %s', relname, pg_get_viewdef(oid)) from relation where relkind = 'v'
    union all select format('constraint %s %s %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
      from relation c join pg_constraint k on k.conrelid = c.oid where k.contype <> 'n'
    union all select format('index %s', pg_get_indexdef(i.indexrelid)) from relation c join pg_index i on i.indrelid = c.oid
    union all select format('trigger %s', pg_get_triggerdef(t.oid)) from relation c join pg_trigger t on t.tgrelid = c.oid
      where not t.tgisinternal
    union all select format('function %s', pg_get_functiondef(oid)) from pg_proc where pronamespace = 'public'::regnamespace
    union all select format('comment %s %s', pg_describe_object(classoid, objoid, objsubid), description) from pg_description
      where (pg_identify_object(classoid, objoid, objsubid)).identity ~ '^(public|leaderboard)[.]'
        and pg_describe_object(classoid, objoid, objsubid) not like '%schema_migration%'
    order by 1`;
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname <> 'schema_migration' order by 1`;
  const rows = [];
  for (const { name } of tables) {
    const counted = await sql<{ count: number }[]>`
      select (xpath('/row/count/text()', query_to_xml(${`select count(*) as count from ${name}`}, false, true, '')))[1]::text::int
        as count`;
    rows.push(`rows of ${name}: ${counted[0]?.count}`);
  }
  return [...objects.map(({ line }) => line), ...rows];
}
