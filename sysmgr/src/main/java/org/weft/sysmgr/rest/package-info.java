/**
 * REST on Jetty: JSON below {@code /api/v1}, a status page at {@code /}. Jetty's types stay in this
 * package. Handlers run on the REST pool's threads; nothing here ever shows a key or a token.
 */
package org.weft.sysmgr.rest;
