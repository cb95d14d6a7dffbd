import type { Caller } from '../../api/auth/caller.ts'
import { isInCurrentTime } from '../../base/account-clock.ts'
import { lockRow } from '../../database/rows/lock-row.ts'
import type { World } from '../../world.ts'
import type { ProposalAnswer } from './proposal.schema.ts'

/**
 * The answer to an executed request, for its requester alone, and erased by that. Undefined: there is none, or
 * the caller has not made the proposal.
 */
export const takeAnswer = (
  world: World,
  caller: Caller,
  { account, id }: { account: string; id: string },
): Promise<ProposalAnswer | undefined> =>
  world.db.transaction().execute(async (db) => {
    const row = await lockRow(db, 'proposals', account, id)
    if (!row?.answer || row.requester_id !== caller.actor.id) return undefined
    await db
      .updateTable('proposals')
      .set({ answer: null })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .execute()
    const { status_code, body } = JSON.parse(
      world.cipher.open('proposal-answer', row.answer, `${account}/${id}`),
    )
    return { type: 'proposal-answer', proposal_id: id, status_code, body }
  })

/** How long an answer waits for its requester. */
const KEPT_MS = 86_400_000

/** Erases the answers that nobody has taken within a day. */
export async function eraseUntakenAnswers({ db, clock }: World): Promise<void> {
  await db
    .updateTable('proposals')
    .set({ answer: null })
    .where('answer', 'is not', null)
    .where('ended_at', '<', new Date(clock.now() - KEPT_MS).toISOString())
    .where(isInCurrentTime('merchant_account_id'))
    .execute()
}
