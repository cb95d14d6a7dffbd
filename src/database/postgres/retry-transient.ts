import { DatabaseError } from 'pg'
import { DEADLOCK, SERIALIZATION_FAILURE } from '../error-codes.ts'

const MAX_ATTEMPTS = 5

/**
 * Sends a statement or a transaction again after a deadlock or a serialization failure, which wrote nothing.
 */
export async function retryTransient<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isTransient =
        error instanceof DatabaseError && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK)
      if (!isTransient || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
