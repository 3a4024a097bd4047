/** Connections without a wire. */
package org.weft.testkit.rpc;
