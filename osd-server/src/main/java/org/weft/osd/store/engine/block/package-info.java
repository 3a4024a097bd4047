/**
 * Bytes as blocks: reading them with their checksums, joining a write with the old bytes around it,
 * and XOR of blocks (P 5.2, 5.3). {@code change} and {@code read} use it, and {@code recovery}.
 * Uses {@code state}. Allocates and commits nothing.
 */
package org.weft.osd.store.engine.block;
