/**
 * The wire of a manager. Requests of clients are read and checked on the transport's event loops,
 * turned into operations, and handed to the volume that they are for.
 */
package org.weft.metadata.rpc;
