/**
 * When a late answer of an OSD is not waited for (DESIGN 5). It knows how long OSDs take, which are
 * slow, and how much may be read in addition. Uses none of the packages beside it.
 */
package org.weft.client.stripe.hedge;
