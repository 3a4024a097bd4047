/** How long to wait before an attempt is repeated. Immutable, but for the count of one caller. */
package org.weft.protocol.retry;
