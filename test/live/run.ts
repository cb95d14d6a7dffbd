import { providerHttp } from '../../src/connectors/wire/http.ts'
import { type LiveName, liveNames, problemsOf, providers } from './providers.ts'
import { runSuite } from './suite.ts'

const name: LiveName | undefined = liveNames.find((each) => each === process.argv[2])
if (!name || process.argv.length > 3) {
  console.error(`npm run test:live -- ${liveNames.join('|')}`)
  process.exit(2)
}
const provider = providers[name]
const problems = problemsOf(provider, process.env)
if (problems.length > 0) {
  console.error(`The suite against ${name} did NOT run:\n${problems.map((each) => `  ${each}`).join('\n')}`)
  process.exit(2)
}
const http = providerHttp(20_000)
const hasPassed = await runSuite(provider, {
  env: process.env,
  http: (request) => http.request(request),
  print: (line) => console.log(line),
  buyer: async (url, decision) => {
    const choice = decision === 'approve' ? 'Authorized or Paid' : 'Failed'
    console.log(`      open ${url} and choose ${choice}; the suite waits`)
  },
  pollMs: 2_000,
  patienceMs: 180_000,
})
await http.close()
process.exitCode = hasPassed ? 0 : 1
