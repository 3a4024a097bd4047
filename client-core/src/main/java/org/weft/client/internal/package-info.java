/**
 * How modules of Weft reach what the Java API does not show. Superclasses of classes of {@code
 * org.weft.client} keep it, without a member that a user of the API sees.
 */
package org.weft.client.internal;
