const BATCH = 100
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** What was found of a buyer, and how much of it waits until what is under way is over. */
export interface ErasureProgress {
  ids: string[]
  waiting: number
}

/** A batch of what a buyer has, by the buyer's id, or for guests by the name that the merchant gave them (null: it gave none). */
export interface BuyerBatch {
  account: string
  buyer: string
  name: string | null
  after: string
  limit: number
}

/** Erases one resource after the other in the order of their ids. `next` finds at most `limit` ids after one; `erase` answers false where the resource has to wait. */
export async function eraseEach(
  next: (after: string, limit: number) => Promise<string[]>,
  erase: (id: string) => Promise<boolean>,
): Promise<ErasureProgress> {
  const erased: ErasureProgress = { ids: [], waiting: 0 }
  for (;;) {
    const some = await next(erased.ids.at(-1) ?? BEFORE_ALL, BATCH)
    for (const id of some) if (!(await erase(id))) erased.waiting += 1
    erased.ids.push(...some)
    if (some.length < BATCH) return erased
  }
}
