import { openEmpty } from './empty.fixture.ts'
import { withSharedCommit } from './statements.ts'

export const put = withSharedCommit(
  `insert into kept (id, amount) values ($1, $2) returning id, amount, xmin::text as commit`,
)
export const add = withSharedCommit(
  `update kept set amount = amount + $2 where id = $1 returning id, amount, xmin::text as commit`,
)

export type Kept = { id: number; amount: number; commit: string }

/** A table whose amounts are never negative. */
export async function openKept() {
  const database = await openEmpty()
  await database.run(
    'create table kept (id int constraint kept_once primary key, amount int not null constraint kept_positive check (amount >= 0))',
    [],
  )
  const kept = async () =>
    new Map(
      (await database.run<Kept>('select id, amount from kept', [])).map(({ id, amount }) => [id, amount]),
    )
  return { ...database, kept }
}
