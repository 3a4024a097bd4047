/**
 * Calls between the parts: what a caller and a service see of the wire. Implementations stand in
 * {@code transport}.
 */
package org.weft.protocol.rpc;
