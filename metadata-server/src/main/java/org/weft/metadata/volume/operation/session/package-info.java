/**
 * Operations that begin, renew and end sessions, or concern a session as a whole (P 6.5). Clients
 * ask for them, and the manager itself when a lease has run out.
 */
package org.weft.metadata.volume.operation.session;
