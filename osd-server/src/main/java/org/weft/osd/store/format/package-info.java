/**
 * The bytes that a store keeps in its key-value store: one class for each layout, which writes it,
 * reads it and draws it. Big-endian throughout. Every value starts with the version of its layout.
 * A reader refuses a version that it does not know, and anything cut short or out of range, with a
 * {@link org.weft.osd.store.format.FormatException}.
 */
package org.weft.osd.store.format;
