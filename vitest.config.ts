import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // several processes on one database: the embedded one has one
    exclude: ['test/crash/**', 'node_modules/**', ...(process.env['DATABASE_URL'] ? [] : ['test/postgres/**'])],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // two cores: more than two servers at a time only wait for each other
    maxWorkers: 2,
  },
})
