/**
 * {@code weft fs put} and {@code get}: files and trees into the cluster and out of it, several at a
 * time. A file appears under its own name when it is whole.
 */
package org.weft.cli.transfer;
