import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/crash/**', 'node_modules/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // two cores: more than two servers at a time only wait for each other
    maxWorkers: 2,
  },
})
