/**
 * What changes an object or a partition: the kinds of {@link org.weft.osd.store.mutation.Mutation},
 * each with all that the store needs to carry it out.
 */
package org.weft.osd.store.mutation;
