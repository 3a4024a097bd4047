/** Files by their numbers, for gateways: {@link org.weft.client.ids.FilesById} over managers. */
package org.weft.client.number;
