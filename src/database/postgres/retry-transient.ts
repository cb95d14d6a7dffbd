import { DatabaseError } from 'pg'

const MAX_ATTEMPTS = 5

/** Deadlocks and serialization failures wrote nothing: the statement, or the transaction, is sent again (FIGURES §1.3). */
export async function retryTransient<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isTransient = error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
      if (!isTransient || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
