import FastifyOtel from '@fastify/otel'
import { context, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, TracerProvider, type TracerProviderOptions } from '@opentelemetry/sdk-trace'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { StepNotes, Tracing } from '../base/tracing.ts'

/** Spans of some seconds of load. While the collector is away those beyond are dropped. */
const MAX_QUEUE = 8_192
const EXPORT_TIMEOUT_MS = 5_000

/**
 * Traces for an OpenTelemetry collector at `url` (OTLP over HTTP). Callers' `traceparent` is not read and providers are sent none: whoever pays with us
 * decides nothing about our traces, and no provider learns of them.
 */
export function openTelemetry({ url, name }: { url: string; name: string }): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS })
  const spanProcessors = [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_QUEUE })]
  const provider = new TracerProvider({ resource: resourceOf(name), spanProcessors })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return {
    step: createStep(provider.getTracer('railyard')),
    traceRequests: (app) => traceRequests(app, provider),
    async close() {
      // a collector that is away must not keep a process from ending
      await provider.shutdown().catch(() => undefined)
      context.disable()
    },
  }
}

/** What the package that makes these does; it is not ours to import, but one that the SDK has. */
function resourceOf(name: string): NonNullable<TracerProviderOptions['resource']> {
  const attributes = { 'service.name': name }
  const resource = { attributes, merge: () => resource, getRawAttributes: () => Object.entries(attributes) }
  return resource
}

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const

const createStep =
  (tracer: Tracer): Tracing['step'] =>
  (name, { kind = 'internal', startsTrace = false, attributes }, work) =>
    tracer.startActiveSpan(name, { kind: kinds[kind], root: startsTrace, attributes: attributes?.() ?? {} }, async (span) => {
      try {
        return await work(spanNotes(span))
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })

const spanNotes = (span: Span): StepNotes => ({
  attributes: (more) => void span.setAttributes(more),
  failed: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
})

async function traceRequests(app: FastifyInstance, provider: TracerProvider): Promise<void> {
  const instrumentation = new FastifyOtel.FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    requestHook: describe,
    ignorePaths: ({ url }) => url === '/metrics' || url.startsWith('/health/'),
  })
  instrumentation.setTracerProvider(provider)
  await app.register(instrumentation.plugin())
  // reading the body has lost the way back to where the request began
  app.addHook('preHandler', (request, _reply, done) => {
    const { context: begun } = request.opentelemetry()
    if (begun) context.with(begun, done)
    else done()
  })
  app.addHook('onSend', async (request, reply) => {
    const { span } = request.opentelemetry()
    const transaction = request.context?.transaction
    if (transaction !== undefined) span?.setAttribute('railyard.transaction.id', transaction)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
  })
}

/** The pattern of the path stands for the path: that may hold a credential. */
function describe(span: Span, request: FastifyRequest): void {
  const route = request.routeOptions.url ?? 'none'
  span.updateName(`${request.method} ${route}`).setAttributes({ 'url.path': route, 'railyard.request.id': request.id })
  const setStatus = span.setStatus.bind(span)
  // the words of an error may quote the request, and a request that is refused is no error of ours
  span.setStatus = (status) => (status.message === undefined ? setStatus(status) : span)
}
