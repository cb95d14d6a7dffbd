// PostgreSQL's codes of errors (its documentation, appendix A) that Railyard acts on

export const FEATURE_NOT_SUPPORTED = '0A000'
/** The role may not run the statement. */
export const INSUFFICIENT_PRIVILEGE = '42501'
export const CHECK_VIOLATION = '23514'
export const DEADLOCK = '40P01'
/** On a standby also: replaying the log was in the way of the statement. */
export const SERIALIZATION_FAILURE = '40001'
export const LOCK_NOT_AVAILABLE = '55P03'
/** By `statement_timeout`, for example. */
export const QUERY_CANCELED = '57014'
/** The server, the database or the role has no free connection. */
export const TOO_MANY_CONNECTIONS = '53300'
export const UNDEFINED_TABLE = '42P01'
/** Also an operator that is not there. */
export const UNDEFINED_FUNCTION = '42883'
export const DATATYPE_MISMATCH = '42804'
/** The server, or the session, takes no writes. */
export const READ_ONLY = '25006'
