import type { QueryResultRow } from 'pg'
import type { World } from '../../src/world.ts'
import type { TestClock } from '../support/railyard.ts'

/** The database server's clock in the story's time. Unlike the processes' clocks it never goes back. */
export interface DatabaseClock {
  /** Runs work in a process whose clock differs by this much from the server's. */
  withClockOff<T>(ms: number, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

const make = `
do $$ begin
  create schema if not exists lab;
  create table if not exists lab.clock (at timestamptz not null);
  delete from lab.clock;
  insert into lab.clock values ('2030-01-01');
  create or replace function lab.clock_timestamp() returns timestamptz language sql stable as 'select at from lab.clock';
end $$`

export async function installDatabaseClock(world: World, clock: TestClock): Promise<DatabaseClock> {
  const { run } = world
  let offset = 0
  let now = clock.now()
  await run(make, [])
  const onTime = async <Row extends QueryResultRow>(
    sql: string,
    values: readonly unknown[],
  ): Promise<Row[]> => {
    if (!sql.includes('clock_timestamp()')) return run<Row>(sql, values)
    now = Math.max(now, clock.now() - offset)
    await run('update lab.clock set at = to_timestamp($1::float8)', [now / 1_000])
    return run<Row>(sql.replaceAll('clock_timestamp()', 'lab.clock_timestamp()'), values)
  }
  world.run = onTime
  return {
    async withClockOff(ms, work) {
      offset = ms
      clock.advance(ms)
      try {
        return await work()
      } finally {
        clock.advance(-ms)
        offset = 0
      }
    },
    async close() {
      await run('drop schema lab cascade', [])
    },
  }
}
