import { duplicateRecord } from '../../api/errors.ts'
import { refusedBy } from '../postgres/constraint.ts'

/** What a unique index keeps apart, and how to find the row that already has it. */
interface UniqueValue {
  /** The name of the unique index. */
  index: string
  /** The id of the row that has the value; undefined: no row has it any more. */
  findHolder: () => Promise<string | undefined>
  /** The message of the 409. */
  message: string
}

/**
 * Makes a change that a unique index may refuse; the index decides, so two racing requests cannot both win.
 * Throws 409 `duplicate_record` with the id of the row that has the value. A row that was deleted or changed
 * in between has freed the value: the change is made again.
 */
export async function withUniqueValue<T>(
  { index, findHolder, message }: UniqueValue,
  change: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await change()
    } catch (error) {
      if (refusedBy(error) !== index) throw error
      const holder = await findHolder()
      if (holder) throw duplicateRecord(holder, message)
    }
  }
}
