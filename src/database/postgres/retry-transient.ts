import { DatabaseError } from 'pg'

const MAX_ATTEMPTS = 5

/**
 * Sends a statement or a transaction again after a deadlock or a serialization failure, which wrote nothing.
 */
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
