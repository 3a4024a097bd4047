/**
 * Disks in memory: a key-value store and segment files. They lose what was not synced when their
 * machine loses power, and fail where a test says so (P 8.1).
 */
package org.weft.testkit.storage;
