import { parseArgs } from 'node:util'
import { type FakeName, fakeNames } from './hosted-fake.ts'
import { startFake, usualPorts } from './server.ts'

const usage = `npm run fake -- ${fakeNames.join('|')} [--port <port>] [--webhook <URL>]`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string' }, webhook: { type: 'string' } },
})
const name: FakeName | undefined = fakeNames.find((each) => each === positionals[0])
if (!name) {
  console.error(usage)
  process.exit(2)
}
const port = Number(values.port ?? usualPorts[name])
const fake = await startFake(name, {
  port,
  ...(values.webhook !== undefined && { webhook: values.webhook }),
  print: (line) => console.log(line),
}).catch((error: NodeJS.ErrnoException) => {
  console.error(
    error.code === 'EADDRINUSE'
      ? `port ${port} is taken, perhaps by another fake: stop it, or choose another port with --port`
      : error.message,
  )
  process.exit(1)
})
console.log(`Fake ${name} on ${fake.url}. Open it to enter a test card. Start Railyard with
  PROVIDER_URLS=${name}=${fake.url} npm start
and follow docs/guides/first-payment-with-${name}.md with
  export ${name.toUpperCase()}_URL=${fake.url}
${Object.entries(fake.credentials)
  .map(([variable, value]) => `  export ${variable}=${value}`)
  .join('\n')}
Its books are in memory. Ctrl-C stops it.`)
const stop = () => void fake.close().then(() => process.exit(0))
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
