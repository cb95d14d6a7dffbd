/** For connectors, which import no other part of Railyard than `contract` and `wire`. */
export { Compile } from '../../base/compile.ts'
