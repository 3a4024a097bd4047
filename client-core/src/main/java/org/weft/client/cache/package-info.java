/**
 * What a session was granted for reading and relies on without asking (P 6.5). That is attributes,
 * names, listings and openings of one volume, and bytes of its files (P 6.5e). Looked up by any
 * thread, changed on the session's home executor alone; no IO.
 */
package org.weft.client.cache;
