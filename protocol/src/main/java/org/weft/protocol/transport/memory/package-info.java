/**
 * Bounds of the memory that frames take: of payloads that arrive, of requests that arrive or leave,
 * and of one peer beside others.
 */
package org.weft.protocol.transport.memory;
