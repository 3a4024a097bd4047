/**
 * What a volume knows of one node: attribute page 0 as a record of our own, and the codec between
 * it and the schema. No threads, no IO.
 */
package org.weft.metadata.attributes;
