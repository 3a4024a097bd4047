/**
 * Disks in memory: a key-value store and segment files that lose what was not synced when their
 * machine loses power, and that fail where a test says so (P 8.1).
 */
package org.weft.testkit.storage;
