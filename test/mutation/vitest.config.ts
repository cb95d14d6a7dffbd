import { defineConfig } from 'vitest/config'

/**
 * The tests of the functions that decide about money, without a server or a database: every mutant runs
 * through them.
 */
export default defineConfig({
  test: {
    include: [
      'src/transactions/{status,projection,projection.outcomes}.test.ts',
      'src/transactions/split-tender/split-tender.undo.test.ts',
      'src/transactions/{split-tender/split-tender,execution/execute-payment}.property.test.ts',
      'src/transactions/execution/decide-next.test.ts',
      'src/operations/operation.test.ts',
      'src/gift-cards/redemptions/redemption.test.ts',
    ],
    pool: 'threads',
    testTimeout: 30_000,
  },
})
