/** Disks of a known speed, for measurements of scaling on a machine that has but one real disk. */
package org.weft.bench.disk;
