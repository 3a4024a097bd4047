/**
 * What may fail, and what may be done about it: {@link org.weft.protocol.error.WeftException} with
 * an {@link org.weft.protocol.error.ErrorCode}. Stores, machines and the Java API throw it alike;
 * it knows nothing of requests or connections.
 */
package org.weft.protocol.error;
