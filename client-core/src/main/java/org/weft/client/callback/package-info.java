/** How results come to the caller: on its executor, or on its thread that waits. */
package org.weft.client.callback;
