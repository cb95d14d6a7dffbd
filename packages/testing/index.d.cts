export * from '../../src/testing/testing.d.cts'
