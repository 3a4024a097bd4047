/**
 * What a start does before the store is open, after a stop that was not orderly (P 5.9). It brings
 * blocks to the disk again, finds writes that a power loss took bytes of, and undoes them. {@code
 * StoreOpening} calls it, on one thread. Uses {@code block} and {@code state}.
 */
package org.weft.osd.store.engine.recovery;
