/**
 * What an open store is: its tables, its segment files, its free space and what is wrong with it.
 * It also has the partitions, and the objects that are in memory. {@link
 * org.weft.osd.store.engine.state.StoreState} holds all of it. Only {@code commit} changes what is
 * stored. Uses none of the packages beside it. Thread-safe, where a class does not say otherwise.
 */
package org.weft.osd.store.engine.state;
